// A token once: from then on a cookie says who this is.

import {useSignal} from "@preact/signals";
import {logIn} from "../../model/api";

export function Login({done}: {readonly done: () => void}) {
  const token = useSignal("");
  const problem = useSignal("");
  const submit = async () => {
    try {
      await logIn(token.value.trim());
      done();
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <main class="runs">
      <h1>This server wants a token</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label>
          Token{" "}
          <input
            type="password"
            autocomplete="off"
            value={token.value}
            onInput={(event) => {
              token.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit">Go on</button>
      </form>
      {problem.value ? (
        <p class="wrong" role="alert">
          {problem.value}
        </p>
      ) : null}
      <p class="muted">
        Who runs the server makes one with <code>rankscope token read --name you --file tokens</code>.
      </p>
    </main>
  );
}
