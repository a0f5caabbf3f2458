/**
 * A dependency of which a test provides only the used parts. Reading anything else throws with its name, so that a test
 * notices unexpected use.
 */
export function fake<Whole extends object>(given: Partial<Whole>): Whole {
  const proxy = new Proxy(given, {
    get(target, name, receiver) {
      // A promise asks for `then`; printing or comparing asks for symbols.
      if (typeof name === 'symbol' || name === 'then' || name in target) {
        return Reflect.get(target, name, receiver);
      }
      throw new Error(`the test does not say what ${name} is`);
    },
  });
  return proxy as Whole; // as: what is not given throws
}
