/** Does things once the callbacks of this turn of the event loop have run. */
export class TurnEnd {
  #tasks: (() => void)[] = [];

  /** In the order of their coming; what a task adds is done in the same turn. */
  add(task: () => void): void {
    if (this.#tasks.push(task) > 1) return;
    setImmediate(() => {
      for (const each of this.#tasks) each();
      this.#tasks = [];
    });
  }
}
