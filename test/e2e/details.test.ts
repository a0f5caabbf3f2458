import { expect } from 'vitest';
import { open } from './message-menu.ts';
import { ANA, BEN, CLEO, sentenceFor, startStage } from './stage.ts';
import { story } from './story.ts';

const GUS = 'U0GUS';
story(
  'message-details no-token-shown nobody-without-answer',
  'everybody who sees a message can open its history; a press that was not counted names its author only to themselves',
  async () => {
    await using stage = await startStage({ route: { quorum: 2 } });
    const { ts, token, id } = await stage.ask({ title: 'Deploy 4.2', message: 'To production?' });
    expect(await open(stage, CLEO, ts, 'Details…')).not.toContain('pressed');
    await stage.click(GUS, ts, 'Approve');
    await sentenceFor(stage, GUS);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    const details = await open(stage, BEN, ts, 'Details…');
    expect(details).toMatch(/<@U0ANA> pressed Approve/);
    expect(details).toContain('One press was not counted');
    expect(details).toContain(id);
    expect(details).not.toMatch(new RegExp(`${GUS}|${token}`));
    expect(await open(stage, GUS, ts, 'Details…')).toMatch(/Your press was not counted: /);
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    const after = await open(stage, CLEO, ts, 'Details…');
    expect(after).toMatch(/^[\s\S]{0,80}Approved by <@U0ANA> and <@U0BEN>/);
    expect(after).toMatch(/started to send <@U0BEN>'s approval[\s\S]*`APPROVED`/);
    const request = await open(stage, CLEO, ts, 'Show request');
    expect(request).toContain('To production?');
  },
);
