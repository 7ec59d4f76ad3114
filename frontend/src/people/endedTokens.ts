/** What is said of tokens that end with a password. */
export function describeEndedTokens(count: number, name: string): string {
  return count === 1
    ? `A token of ${name} ended with the old password. Make another one for the program that used it.`
    : `${count} tokens of ${name} ended with the old password. Make others for the programs that used them.`;
}
