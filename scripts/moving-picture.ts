import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Demo, startDemo } from '../sandbox/demo.ts';
import { buttonOf, onThe, press } from '../sandbox/test/browser/on-the-page.ts';
import { animatedPng } from './animated-png.ts';

/**
 * The animation in the README (docs/ask.png), and its last frame (docs/ask-still.png): a terminal runs the README's
 * command, and a person approves it in Slack. The command, the bot and what both sides show are real; only the typing
 * and the pointer are simulated.
 */
export async function takeMovingPicture(browser: Browser): Promise<void> {
  const command = /^gatepost ask .*--run.*$/m.exec(await readFile('README.md', 'utf8'))?.[0];
  if (command === undefined) throw new Error('The README has no gatepost ask --run.');
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-picture-'));
  const demo = await startDemo();
  try {
    const slack = await openChannel(browser, demo);
    const film = await startFilm(browser, slack);
    await film.shoot(700, '');
    for (let end = 0; end < command.length; end += 3) await film.shoot(50, command.slice(0, end));
    await film.shoot(600, command);

    const terminal = await run(command, folder, demo);
    const shoot = () => film.shoot(LIVE_MS, command, terminal.text);
    const message = onThe(slack).log.getByRole('article').last();
    const approve = buttonOf(message, 'Approve');
    while (!terminal.text.includes('Waiting for') || !(await approve.isVisible())) await shoot();
    for (let frame = 0; frame < 8; frame += 1) await shoot();
    for (let step = 1; step <= POINTER_STEPS; step += 1) {
      await film.pointAt(approve, step / POINTER_STEPS);
      await film.shoot(POINTER_MS, command, terminal.text);
    }
    await shoot();
    await slack.mouse.down();
    await shoot();
    await slack.mouse.up();
    const succeeded = message.getByText('Succeeded');
    while (terminal.exitCode === undefined || !(await succeeded.isVisible())) await shoot();
    await film.takePointerAway();
    await film.shoot(400, command, terminal.text);
    const still = await film.shoot(4_000, command, terminal.text, `exit ${terminal.exitCode}`);
    await writeFile('docs/ask-still.png', still);
    await writeFile('docs/ask.png', film.develop());
  } finally {
    await demo.stop();
    await rm(folder, { recursive: true });
  }
}

/** About the time it takes to capture a frame, so that the animation runs at real speed. */
const LIVE_MS = 160;
const POINTER_MS = 50;
const POINTER_STEPS = 10;
const COLUMNS = 45;

/** The channel as Ana sees it, with its earlier messages. */
async function openChannel(browser: Browser, { sandbox }: Demo): Promise<Page> {
  const open = async (user: string) => {
    const viewport = { width: 440, height: 656 };
    const page = await browser.newPage({ colorScheme: 'light', viewport, deviceScaleFactor: 2 });
    await page.goto(`${sandbox.url}/?as=${user}`);
    return page;
  };
  const [ana, ben, cleo] = [await open('U0ANA'), await open('U0BEN'), await open('U0CLEO')];
  await sandbox.automation.ask({
    title: 'Deploy 4.1 to production',
    message: 'All checks are green. Shall it go out?',
    requestedBy: { slackUser: 'U0CLEO' },
    quorum: 2,
  });
  for (const page of [ben, ana]) {
    const before = onThe(page).log.getByRole('article').last();
    await press(before, 'Approve');
    await before.getByText(/1 of 2|Approved by/).waitFor();
  }
  await say(cleo, '4.2 is green on staging. I would like to ship it.');
  await say(ben, 'Looks good to me.');
  const { log } = onThe(ana);
  await log.getByText('Looks good to me.').waitFor();
  // It folds half a minute after its outcome, which must not happen during the animation.
  await log.getByText('All checks are green').waitFor({ state: 'detached', timeout: 60_000 });
  await ana.mouse.move(0, 0);
  return ana;
}

async function say(page: Page, text: string): Promise<void> {
  const { composer, log } = onThe(page);
  await composer.fill(text);
  await composer.press('Enter');
  await log.getByText(text).waitFor();
}

interface TerminalRun {
  readonly text: string;
  /** Undefined until it has ended. */
  readonly exitCode: number | undefined;
}

/** Runs the command in a terminal, with the `gatepost` of this repository. */
async function run(command: string, folder: string, demo: Demo): Promise<TerminalRun> {
  await writeFile(join(folder, 'deploy.sh'), '#!/bin/sh\necho "4.2 is live."\n', { mode: 0o755 });
  await writeFile(join(folder, 'release.diff'), ' image: shop\n-version: 4.1\n+version: 4.2\n');
  const gatepost = [process.execPath, '--import', import.meta.resolve('tsx'), MAIN];
  await writeFile(join(folder, 'gatepost'), `#!/bin/sh\nexec '${gatepost.join("' '")}' "$@"\n`, {
    mode: 0o755,
  });
  const settings = demo.commands()[0]?.command;
  const line = `stty cols ${COLUMNS}; ${settings} PATH="$PWD:$PATH" ${ASKER}; ${command}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], { cwd: folder });
  const state = { text: '', exitCode: undefined as number | undefined };
  child.stdout.on('data', (chunk) => {
    const written = `${state.text}${chunk}`.replaceAll('\r\n', '\n');
    state.text = written
      .split(ERASE_LINE)
      .reduce((before, after) => before.slice(0, before.lastIndexOf('\n') + 1) + after);
  });
  void once(child, 'close').then(([code]) => {
    state.exitCode = code;
  });
  return state;
}

/** Cleo's, as a CI system or a shell's profile sets it. */
const ASKER = 'GATEPOST_REQUESTED_BY=cleo@example.com';
/** The only control sequence that the command writes. */
const ERASE_LINE = '\r\u001b[K';
const MAIN = fileURLToPath(import.meta.resolve('../src/main.ts'));

interface Film {
  /** Captures a frame that is shown that long, with this text in the terminal. Returns its picture. */
  shoot(ms: number, command: string, output?: string, exit?: string): Promise<Buffer>;
  /** Moves the pointer towards the middle of an element; at a share of 1 it is there. */
  pointAt(target: Locator, share: number): Promise<void>;
  takePointerAway(): Promise<void>;
  /** All frames, as an animated PNG. */
  develop(): Buffer;
}

async function startFilm(browser: Browser, slack: Page): Promise<Film> {
  const channel = await boxOf(slack.getByRole('main'));
  const stage = await browser.newPage({ viewport: STAGE_SIZE, deviceScaleFactor: SHARPNESS });
  await stage.setContent(STAGE);
  const window = await boxOf(stage.locator('img'));
  const movePointer = async (x: number, y: number) => {
    await slack.mouse.move(x, y);
    const style = `left: ${window.x + x - channel.x}px; top: ${window.y + y - channel.y}px`;
    await stage.locator('svg').evaluate((it, place) => it.setAttribute('style', place), style);
  };
  const frames: { readonly png: Buffer; ms: number }[] = [];
  return {
    async shoot(ms, command, output = '', exit = '') {
      const shot = await slack.screenshot({ clip: channel, animations: 'disabled' });
      const src = `data:image/png;base64,${shot.toString('base64')}`;
      await stage.locator('img').evaluate((it: HTMLImageElement, shown) => {
        it.src = shown;
        return it.decode();
      }, src);
      await stage.locator('pre').evaluate(
        (it, texts) => {
          for (const [at, text] of texts.entries()) it.children.item(at)?.replaceChildren(text);
        },
        [command, output && `\n${output}`, exit],
      );
      const png = await stage.screenshot();
      const last = frames.at(-1);
      if (last?.png.equals(png)) last.ms += ms;
      else frames.push({ png, ms });
      return png;
    },
    async pointAt(target, share) {
      const { x, y, width, height } = await boxOf(target);
      // It slows down towards the end, as a hand does.
      const left = (1 - share) ** 2;
      await movePointer(x + width / 2 + 120 * left, y + height / 2 + 160 * left);
    },
    takePointerAway: () => movePointer(-99, -99),
    develop: () => animatedPng(frames),
  };
}

async function boxOf(it: Locator) {
  const box = await it.boundingBox();
  if (!box) throw new Error(`Nothing to be seen of ${it}.`);
  return box;
}

/** In CSS pixels, each of which is `SHARPNESS` pixels wide in the picture. */
const STAGE_SIZE = { width: 912, height: 579 };
const SHARPNESS = 2;

const STAGE = `<!doctype html>
<style>
  body { margin: 0; padding: 12px; display: grid; grid-template-columns: 436px 440px; gap: 12px; background: #dfe7e2 }
  figure { margin: 0; height: 555px; border-radius: 8px; overflow: hidden; box-shadow: 0 1px 4px #0005; background: #fff }
  figcaption { font: 600 13px/32px sans-serif; text-align: center; background: #14392d; color: #d3e4dc }
  figure:has(pre) { background: #16191d }
  figure:has(pre) figcaption { background: #2a2e34; color: #c3c8cf }
  pre { margin: 0; padding: 12px; font: 15px/1.6 monospace; color: #b9c0c9; white-space: pre-wrap; overflow-wrap: anywhere }
  b { color: #fff }
  b::before { content: '$ '; color: #3fbf97 }
  b:has(+ :empty)::after { content: '▋' }
  i { font-style: normal; color: #3fbf97 }
  img { display: block; width: 440px; height: 523px }
  svg { position: absolute; left: -99px; width: 20px }
</style>
<figure><figcaption>Terminal</figcaption><pre><b></b><span></span><i></i></pre></figure>
<figure><figcaption>Slack</figcaption><img alt="" src="data:,"></figure>
<svg viewBox="0 0 20 28"><path d="M1 1v21l5-4.6 3.3 7.8 3.6-1.5-3.3-7.6H17z" fill="#000" stroke="#fff" stroke-width="1.6"/></svg>`;
