import { type FormEvent, useState } from 'react';
import { useConsole } from './console-context.js';

/** Asked for when the coordinator answers 401; kept for this tab only. */
export function TokenBox({ onToken }: { onToken(token: string): void }) {
  const { text } = useConsole();
  const [token, setToken] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== '') onToken(token.trim());
  };
  return (
    <section className="panel prompt" aria-label={text.token}>
      <p>{text.tokenNeeded}</p>
      <form className="answer-entry" onSubmit={submit}>
        <label htmlFor="token">{text.token}</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit" className="primary">
          {text.useToken}
        </button>
      </form>
    </section>
  );
}
