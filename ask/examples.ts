import type { Examples } from './command-line.ts';

/** Of the commands, as those of `gatepost`. */
export const ASK_EXAMPLES: Examples = {
  'gatepost ask': [
    'gatepost ask --title "Deploy 4.2" --field version=4.2 --bind deploy.sh --run -- ./deploy.sh',
    'terraform show tf.plan | gatepost ask --title "Apply to production" --change - --wait --timeout 2h',
    'gatepost ask --title "Release 4.2" --key release-4.2 --route releases --quorum 2 --json',
  ],
  'gatepost withdraw': [
    'gatepost withdraw 0-0123456789abcdef',
    'gatepost withdraw --key "checkout/$RUN/deploy"',
  ],
};

/** The same of a program that is `ask`. */
export function examplesOf(program: string): Examples {
  const renamed = (text: string) =>
    text.replace(/gatepost ask/g, program).replace(/gatepost withdraw/g, `${program} withdraw`);
  return Object.fromEntries(
    Object.entries(ASK_EXAMPLES).map(([words, lines]) => [renamed(words), lines.map(renamed)]),
  );
}
