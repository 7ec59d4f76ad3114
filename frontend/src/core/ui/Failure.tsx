interface Props {
  words: string | null | undefined;
  testid?: string;
}

/** Why something was refused, told at once to those who do not see it; nothing where it was not. */
export function Failure({ words, testid }: Props) {
  if (!words) return null;
  return (
    <p className="bad" role="alert" data-testid={testid}>
      {words}
    </p>
  );
}
