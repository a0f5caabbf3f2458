/** For what is tried for ever: doubles from `first` up to `most`. */
export function patientWaitMs(tries: number, first: number, most: number): number {
  return Math.min(first * 2 ** Math.min(tries, 20), most);
}
