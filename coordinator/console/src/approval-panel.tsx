import { useState } from 'react';
import { useConsole } from './console-context.js';
import type { Approval } from './contract.js';
import { asProblem, type Problem } from './problem.js';
import { ProblemNote } from './problem-note.js';
import { clockTime } from './show-time.js';
import { ShowValue } from './show-value.js';

/** A step that waits for a person's consent: what it would do, and how it would be undone. */
export function ApprovalPanel({ approval }: { readonly approval: Approval }) {
  const { api, clock, text } = useConsole();
  const [comment, setComment] = useState('');
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const decide = async (decision: 'approve' | 'reject') => {
    setSending(true);
    setProblem(undefined);
    try {
      await api.decide(approval.approval_id, decision, comment.trim());
    } catch (error) {
      setProblem(asProblem(error));
      setSending(false);
    }
  };
  const id = `comment-${approval.approval_id}`;
  return (
    <section className="prompt" aria-label={text.approval}>
      <h3>
        {text.approval} <code className="method">{approval.method}</code>
      </h3>
      <ShowValue label={text.params} value={approval.params} />
      <ShowValue label={text.effects} value={approval.effects} />
      <ShowValue label={text.predicted} value={approval.predicted} />
      <ShowValue label={text.rollback} value={approval.rollback} />
      <p className="small muted">
        {approval.requester && `${text.requester} ${approval.requester} · `}
        {approval.expires_at !== undefined && `${text.expires} ${clockTime(approval.expires_at, clock.now())}`}
      </p>
      <div className="answer-entry">
        <label htmlFor={id}>{text.comment}</label>
        <input id={id} value={comment} autoComplete="off" onChange={(event) => setComment(event.target.value)} />
        <button type="button" className="primary" disabled={sending} onClick={() => decide('approve')}>
          {text.approve}
        </button>
        <button type="button" disabled={sending} onClick={() => decide('reject')}>
          {text.reject}
        </button>
      </div>
      <ProblemNote problem={problem} />
    </section>
  );
}
