import { useState } from "react";
import { api, type MadeToken, type TokenRow } from "../api/client";
import type { Me } from "../api/types";
import { DeleteDialog } from "../ui/DeleteDialog";
import { Header } from "../ui/Header";
import { Loading } from "../ui/Loading";
import { useLoaded } from "../ui/useLoaded";
import { useTitle } from "../ui/useTitle";
import { ago } from "../ui/words";
import { MadeCard } from "./MadeCard";
import { MakeDialog } from "./MakeDialog";
import { endInWords, scopesInWords } from "./words";
import { Failure } from "../ui/Failure";
import "../styles/tokens.css";

interface TableProps {
  tokens: readonly TokenRow[];
  now: number;
  end: (token: TokenRow) => void;
}

function Table({ tokens, now, end }: TableProps) {
  return (
    <table className="stacking" data-testid="tokens">
      <thead>
        <tr>
          <th>Token</th>
          <th>May</th>
          <th>Made</th>
          <th>Last used</th>
          <th>Ends</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id} className={token.expired ? "faint" : undefined}>
            <td>{token.name}</td>
            <td data-of="May">{scopesInWords(token.scopes)}</td>
            <td className="nowrap" data-of="Made" title={token.created_at}>
              {ago(token.created_at, now)}
            </td>
            <td className="nowrap" data-of="Last used" title={token.last_used_at ?? undefined}>
              {token.last_used_at === null ? "never" : ago(token.last_used_at, now)}
            </td>
            <td className="nowrap" data-of="Ends" title={token.expires_at}>
              {endInWords(token, now)}
            </td>
            <td className="actions">
              <button
                type="button"
                className="quiet"
                aria-label={`${token.expired ? "Remove" : "End"} ${token.name}`}
                onClick={() => end(token)}
              >
                {token.expired ? "Remove" : "End"}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Empty() {
  return (
    <section className="card empty">
      <h2>You have no tokens</h2>
      <p>
        A program that pushes events or calls the API does so in your name, with a token that says what it may
        do and for how long.
      </p>
    </section>
  );
}

export function TokensPage({ me }: { me: Me | null }) {
  useTitle("Tokens");
  const { value: tokens, failure, again } = useLoaded(api.tokens);
  const [now] = useState(() => Date.now());
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const [ending, setEnding] = useState<TokenRow | null>(null);
  const take = (token: MadeToken) => {
    setMade(token);
    setMaking(false);
    again();
  };
  return (
    <>
      <Header me={me} here="tokens" />
      <main className="page">
        <div className="row spread">
          <h1>Tokens</h1>
          <button type="button" className="primary" data-testid="new-token" onClick={() => setMaking(true)}>
            New token
          </button>
        </div>
        <Failure words={failure} />
        {made && <MadeCard token={made} done={() => setMade(null)} />}
        {!tokens && failure === null && <Loading what="tokens" />}
        {tokens?.length === 0 && <Empty />}
        {tokens && tokens.length > 0 && <Table tokens={tokens} now={now} end={setEnding} />}
        {making && <MakeDialog made={take} close={() => setMaking(false)} />}
        {ending && (
          <DeleteDialog
            name={ending.name}
            verb={ending.expired ? "Remove" : "End"}
            remove={() => api.endToken(ending.id)}
            close={() => setEnding(null)}
            done={() => {
              if (made?.id === ending.id) setMade(null);
              setEnding(null);
              again();
            }}
          >
            {ending.expired
              ? "It opens nothing any more as it is."
              : "Whoever uses it is refused from now on. It cannot be brought back; make another one."}
          </DeleteDialog>
        )}
      </main>
    </>
  );
}
