/** A compose file's text as somebody has it who uses a gatepost.yaml: with the lines of its volume, which are comments. */
export function withCommentedVolume(text: string): string {
  return text.replaceAll(/^( *)# (volumes:| *- \.\/gatepost\.yaml:.*)$/gm, '$1$2');
}
