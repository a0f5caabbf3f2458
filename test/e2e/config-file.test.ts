import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ANA, BEN, CLEO, effectsOf, sentenceFor, startStage } from './stage.ts';
import { story } from './story.ts';

const FILE = `
sources:
  - { id: default, secret: GATEPOST_INTAKE_SECRET, routes: [production] }
routes:
  production:
    channel: C0DEPLOYS
    reviewers: { users: [${ANA}, ${BEN}] }
    quorum: 2
identity: { overrides: { ${BEN}: ben-in-the-service } }
dialect: { approval: { auth: bearer } }
`;

story(
  'intake-rights people-reviewers click-quorum people-override dialects',
  'the source, route and rules of a configuration file apply',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-file-'));
    try {
      const path = join(folder, 'gatepost.yaml');
      await writeFile(path, FILE);
      await using stage = await startStage({
        env: { GATEPOST_CONFIG: path, GATEPOST_CHANNEL: undefined, SERVICE_API_KEY: 'the-api-key' },
      });
      const { ts, token } = await stage.ask();
      await stage.click(CLEO, ts, 'Approve');
      expect(await sentenceFor(stage, CLEO)).toMatch(/^You are not a reviewer/);
      await stage.click(ANA, ts, 'Approve');
      await stage.until(ts, /1 of 2/);
      await stage.click(BEN, ts, 'Approve');
      await stage.until(ts, /Approved by/);
      expect(effectsOf(stage, token)).toEqual(['approve']);
      const responds = stage.sandbox.service.requests('respond');
      expect(responds).toMatchObject([
        { hasAuthorization: true, body: { userId: 'ben-in-the-service' } },
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
