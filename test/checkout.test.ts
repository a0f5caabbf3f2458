import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runProgram } from './e2e/crash/run-program.ts';

const run = promisify(execFile);

test.skipIf(!existsSync('.git'))(
  'a checkout with core.autocrlf=true has LF everywhere, and its scripts run',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-checkout-'));
    try {
      const settings = ['-c', 'core.autocrlf=true', '-c', 'core.eol=crlf'];
      const source = pathToFileURL('.').href;
      await run('git', ['clone', '--quiet', '--depth', '1', ...settings, source, folder]);
      // Without a pattern: what stands in the files of the clone.
      const { stdout } = await run('git', ['ls-files', '--eol'], { cwd: folder });
      const lines = stdout.trim().split('\n');
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.filter((line) => /w\/(?:crlf|mixed)/.test(line))).toEqual([]);
      const hook = join(folder, 'integrations/agents/ask-before.sh');
      await using refused = runProgram([], { ASK_BEFORE: 'a\\|b' }, hook);
      expect(await refused.ended).toBe(2);
      expect(refused.output.join()).toContain('ASK_BEFORE is not clear');
      await using ask = runProgram([join(folder, 'integrations/curl/ask.sh')], {}, '/bin/sh');
      expect(await ask.ended).toBe(2);
      expect(ask.output).toEqual(['GATEPOST_URL must be set.']);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
