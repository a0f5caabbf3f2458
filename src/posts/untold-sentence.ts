/** Said to the person when the channel in which they began could not be told. */
export function untoldSentence(channel: string): string {
  // Slack has no name for a conversation between two.
  const place = channel.startsWith('D') ? 'that conversation' : `<#${channel}>`;
  return `Gatepost cannot write in ${place}, so only you were told.`;
}
