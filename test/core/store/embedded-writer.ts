import { system } from '../../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import { createHeld, releaseAt, save } from './store-world.ts';

/** Creates and saves records forever, many at once; prints the id of each that was acknowledged. */
const [, , folder = ''] = process.argv;
const store = await createEmbeddedStore({ ...system, folder });

await Promise.all(
  Array.from({ length: 16 }, async () => {
    for (;;) {
      const { lease, record } = await createHeld(store);
      await save(store, lease, { data: '{"saved":true}', next: releaseAt(0) });
      process.stdout.write(`${record.id}\n`);
    }
  }),
);
