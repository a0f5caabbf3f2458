/**
 * A whole dependency of which a test says only what is used of it. Whatever else is read of it throws, by name,
 * so that a test notices what it did not expect.
 */
export function fake<Whole extends object>(given: Partial<Whole>): Whole {
  const proxy = new Proxy(given, {
    get(target, name, receiver) {
      // A promise of it asks for `then`; what prints or compares it, for symbols.
      if (typeof name === 'symbol' || name === 'then' || name in target) {
        return Reflect.get(target, name, receiver);
      }
      throw new Error(`the test does not say what ${name} is`);
    },
  });
  return proxy as Whole; // as: what is not given throws
}
