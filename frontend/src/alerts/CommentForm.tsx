import { useId, useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { Failure } from "../core/ui/Failure";
import { alertApi } from "./calls";

const MAX_CHARS = 4000;

/** Say something of an incident to whoever looks at it later. */
export function CommentForm({ incident, done }: { incident: number; done: () => void }) {
  const id = useId();
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setFailure(null);
    alertApi.comment(incident, text.trim()).then(
      () => {
        setText("");
        done();
      },
      (error: unknown) => setFailure(describeError(error)),
    );
  };
  return (
    <form className="comment-form" onSubmit={send}>
      <div className="field">
        <label htmlFor={id}>Comment</label>
        <textarea
          id={id}
          rows={3}
          required
          maxLength={MAX_CHARS}
          data-testid="comment-text"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Failure words={failure} />
      <button type="submit" data-testid="comment" disabled={text.trim() === ""}>
        Add comment
      </button>
    </form>
  );
}
