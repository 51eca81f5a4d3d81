/** The mail door: SMTP in the product, a list in the simulation. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc?: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Made by the sender before the first try, so that a repeat is recognisable. */
  readonly message_id: string;
}

export interface MailSender {
  /**
   * Resolves after the server's 250: from then on the mail cannot be unsent.
   * @throws HermesError; `data.sent: true` when the message had gone out and no answer came.
   */
  send(
    mail: Mail,
    options: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
  ): Promise<{ response: string }>;
  close(): Promise<void>;
}
