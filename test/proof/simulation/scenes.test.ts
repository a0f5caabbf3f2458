import { expect, test } from 'vitest';
import { Chance } from '../../../proof/simulation/chance.ts';
import type { Gate } from '../../../proof/simulation/observer.ts';
import type { Stage } from '../../../proof/simulation/scenes/scene.ts';
import { MEANT, Scenes } from '../../../proof/simulation/scenes.ts';
import { Scheduler } from '../../../proof/simulation/scheduler.ts';
import { ASKERS } from '../../../proof/simulation/settings.ts';
import { fake } from '../../support/fake.ts';

const SCENE = { meets: [], route: 'pair', people: [] };

/** Of a world with holds and absences in which nobody does anything. */
function scenesWith({ waits }: { readonly waits: boolean }) {
  const pressed: string[] = [];
  const weather = { isCalm: true, restsMs: 0 };
  const scheduler = new Scheduler(new Chance('order'));
  const met: string[] = [];
  const away = new Set<string>();
  const calledBack: string[] = [];
  const leaving = new Map<string, () => void>();
  const again = fake<Gate>({});
  const scenes = new Scenes({
    ...{
      scheduler,
      waits,
      usual: true,
      holds: true,
      absences: true,
      closings: true,
      hasSeveral: true,
      forgets: true,
      reloads: true,
      askers: ASKERS,
    },
    chance: new Chance('scenes'),
    people: { stay() {} },
    absentees: () => ({
      names: (person, _, then) => void leaving.set(person, then),
      comesBack: (person) => void calledBack.push(person),
    }),
    stageOf: (gate) =>
      fake<Stage>({
        approve: (person) => void pressed.push(person),
        askAgain: (ms) => void scheduler.after(ms, () => scenes.askAgain(gate)),
      }),
    askAgain: () => again,
    mayBeAway: (person) => away.has(person),
    mayBeClosed: () => false,
    isArchived: () => false,
    restOfFaults: (forMs) => {
      weather.restsMs = forMs;
    },
    isCalm: () => weather.isCalm,
    areRulesUsual: () => true,
    rulesMet: () => met,
  });
  const pass = (ms: number) => {
    const until = scheduler.now + ms;
    scheduler.after(ms, () => {});
    return scheduler.run(() => scheduler.now >= until);
  };
  return { scenes, met, weather, away, calledBack, leaving, pressed, again, pass };
}

test('a scene that needs calm begins after other faults, and stops new ones', () => {
  const late = 'hold: rejected, and checked after its end';
  const { scenes, met, weather } = scenesWith({ waits: true });
  met.push(...MEANT.filter((each) => each !== late));
  scenes.waitForOwed();
  weather.isCalm = false;
  expect(scenes.draw()).toBe(undefined);
  expect(weather.restsMs).toBe(0);
  weather.isCalm = true;
  expect(scenes.draw()?.meets).toEqual([late]);
  expect(weather.restsMs).toBe(30_000);
});

test('a scene that is owed is not begun again before it is over', async () => {
  const { scenes, met, pass } = scenesWith({ waits: true });
  met.push(...MEANT.filter((each) => each !== 'hold: undone'));
  scenes.draw();
  scenes.waitForOwed();
  await pass(60_000);
  expect(scenes.draw()?.meets).toEqual(['hold: undone']);
  expect(scenes.draw()).toBe(undefined);
  await pass(60_000);
  expect(scenes.draw()?.meets).toEqual(['hold: undone']);
  met.push('hold: undone');
  await pass(60_000);
  expect(scenes.draw()).toBe(undefined);
  expect(scenes.isOwed).toBe(false);
});

test.each([true, false])(
  'the route of a scene that is owed stays open if its world waits: %s',
  async (waits) => {
    const { scenes, met, pass } = scenesWith({ waits });
    met.push(...MEANT.filter((each) => !each.startsWith('self-approval: reviewed')));
    scenes.draw();
    await pass(60_000);
    expect(scenes.keepsRoute('night')).toBe(waits);
    expect(scenes.keepsRoute('crews')).toBe(false);
  },
);

test('a gate that a scene asks for besides its own is left alone', async () => {
  const { scenes, again, pass } = scenesWith({ waits: true });
  const own = fake<Gate>({});
  let posted = 0;
  const scene = {
    ...SCENE,
    posted: ({ askAgain }: Stage) => {
      posted += 1;
      askAgain(500);
    },
  };
  scenes.opened(own, scene);
  scenes.posted(own);
  expect(scenes.has(again)).toBe(false);
  await pass(1_000);
  expect(scenes.has(again)).toBe(true);
  scenes.posted(again);
  expect(posted).toBe(1);
});

test('whoever is needed at the end comes back and stays', async () => {
  const { scenes, met, away, calledBack, pass } = scenesWith({ waits: true });
  met.push(...MEANT.filter((each) => each !== 'substitute: is a guest'));
  scenes.draw();
  await pass(60_000);
  for (const each of ['U0BEN', 'U0CLEO']) away.add(each);
  expect(scenes.keeps('U0BEN')).toBe(false);
  scenes.waitForOwed();
  expect(calledBack).toEqual(['U0BEN']);
  expect(scenes.keeps('U0BEN')).toBe(true);
  expect(scenes.keeps('U0CLEO')).toBe(false);
});

test('a scene begins once its people have left, or after a while', async () => {
  const { scenes, leaving, pass } = scenesWith({ waits: true });
  const asked: string[] = [];
  const begin = (name: string, leave?: readonly string[]) =>
    scenes.begin({ ...SCENE, ...(leave && { leave }) }, () => void asked.push(name));
  begin('plain');
  begin('left', ['U0BEN', 'U0CLEO']);
  expect(asked).toEqual(['plain']);
  for (const then of leaving.values()) then();
  expect(asked).toEqual(['plain', 'left']);
  begin('late', ['U0DANA']);
  await pass(60_000);
  leaving.get('U0DANA')?.();
  expect(asked).toEqual(['plain', 'left', 'late']);
});

test('at the end a scene that was played less often has priority for its people', async () => {
  const { scenes, met, away, pass } = scenesWith({ waits: true });
  const [ofTwo, cannot] = ['substitute: of two people', 'substitute: cannot decide anything'];
  met.push(...MEANT.filter((each) => each !== ofTwo && each !== cannot));
  away.add('U0ANA');
  scenes.waitForOwed();
  expect(scenes.draw()?.meets).toEqual([cannot]);
  await pass(60_000);
  expect(scenes.draw()).toBe(undefined);
  away.clear();
  expect(scenes.draw()?.meets).toEqual([ofTwo]);
});

test('the people of a scene that has met its rule are free', async () => {
  const { scenes, met } = scenesWith({ waits: true });
  const guest = 'substitute: is a guest';
  met.push(...MEANT.filter((each) => each !== guest));
  scenes.waitForOwed();
  expect(scenes.draw()?.meets).toContain(guest);
  expect(scenes.keeps('U0BEN')).toBe(true);
  met.push(guest);
  expect(scenes.draw()).toBe(undefined);
  expect(scenes.keeps('U0BEN')).toBe(false);
});

test('a scene whose message is deleted and posted again is not played again', async () => {
  const { scenes, pressed, pass } = scenesWith({ waits: true });
  const gate = { name: 'g1' } as Gate; // as: nothing else of it is read
  scenes.opened(gate, {
    ...SCENE,
    posted: ({ approve }) => approve('U0ANA', 0),
  });
  for (let times = 0; times < 2; times += 1) scenes.posted(gate);
  await pass(1_000);
  expect(pressed).toEqual(['U0ANA']);
});
