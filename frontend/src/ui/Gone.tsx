interface Props {
  title: string;
  /** Why it is not shown. */
  words: string;
  /** Where to go instead. */
  link: string;
  children: string;
}

/** In place of what cannot be shown: why, and a way on. */
export function Gone({ title, words, link, children }: Props) {
  return (
    <main className="page">
      <section className="card empty">
        <h1>{title}</h1>
        <p role="alert" data-testid="notice">
          {words}
        </p>
        <a className="button" href={link}>
          {children}
        </a>
      </section>
    </main>
  );
}
