/** Copy a text; return what to say of it. */
export const copyText = (text: string): Promise<string> =>
  navigator.clipboard.writeText(text).then(
    () => "Copied.",
    () => "The browser does not allow copying here; select the text instead.",
  );
