import { expect, test } from 'vitest';
import { oneBrowser } from '../../sandbox/test/browser/one-browser.ts';
import { animatedPng } from '../../scripts/animated-png.ts';

const browser = oneBrowser();

test('a browser shows each frame of an animated PNG unchanged, and for its duration', async () => {
  const page = await browser.open('about:blank');
  await page.setViewportSize({ width: 300, height: 200 });
  const frames = [];
  for (const [at, place] of ['10px', '120px', '120px', '200px'].entries()) {
    await page.setContent(`<p style="position: absolute; left: ${place}; top: 40px">Frame`);
    frames.push({ png: await page.screenshot(), ms: 100 * (at + 1) });
  }
  const animated = animatedPng(frames);
  expect(animated.length).toBeLessThan(frames.reduce((sum, { png }) => sum + png.length, 0));

  // Pictures are decoded where scripts may ask for secrets: https, or localhost.
  await page.route('http://localhost/', (route) => route.fulfill({ contentType: 'text/html' }));
  await page.goto('http://localhost/');
  const decoded = await page.evaluate(decodeAll, {
    animated: animated.toString('base64'),
    stills: frames.map(({ png }) => png.toString('base64')),
  });
  expect(decoded.shown).toEqual(decoded.stills);
  expect(decoded.waits).toEqual([100, 200, 300, 400]);
});

/** Runs in the browser: the pixels of all frames, each as the address of a picture. */
async function decodeAll(given: { animated: string; stills: string[] }) {
  const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (it) => it.charCodeAt(0));
  const drawn = (picture: VideoFrame | ImageBitmap, width: number, height: number) => {
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    canvas.getContext('2d')?.drawImage(picture, 0, 0);
    return canvas.toDataURL();
  };
  const decoder = new ImageDecoder({ data: bytesOf(given.animated), type: 'image/png' });
  await Promise.all([decoder.tracks.ready, decoder.completed]);
  const shown: string[] = [];
  const waits: number[] = [];
  for (const frameIndex of Array(decoder.tracks.selectedTrack?.frameCount).keys()) {
    const { image } = await decoder.decode({ frameIndex });
    shown.push(drawn(image, image.displayWidth, image.displayHeight));
    waits.push((image.duration ?? 0) / 1_000);
  }
  const stills: string[] = [];
  for (const still of given.stills) {
    const picture = await createImageBitmap(new Blob([bytesOf(still)]));
    stills.push(drawn(picture, picture.width, picture.height));
  }
  return { shown, waits, stills };
}
