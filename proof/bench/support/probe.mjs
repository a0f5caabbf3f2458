import process from 'node:process';
import { getHeapCodeStatistics } from 'node:v8';

/** Answers each message of the parent with what this process holds after a garbage collection. */
process.on('message', () => {
  globalThis.gc?.();
  const memory = process.memoryUsage();
  const code = getHeapCodeStatistics();
  const codeBytes = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  const active = process.getActiveResourcesInfo();
  const count = (name) => active.filter((each) => each === name).length;
  process.send?.({
    heapMb: memory.heapUsed / 2 ** 20,
    codeMb: codeBytes / 2 ** 20,
    externalMb: (memory.external + memory.arrayBuffers) / 2 ** 20,
    timers: count('Timeout') + count('Immediate'),
    handles: active.length - count('Timeout') - count('Immediate'),
  });
});
// It keeps nothing running.
process.channel?.unref();
