// Who is not known yet signs in at the provider, where the server has one, or by a token, once: from then on a cookie says who this is.

import type {SignInWays} from "@made/api_types";
import {useSignal} from "@preact/signals";
import {useEffect} from "preact/hooks";
import {getSignInWays, logIn} from "../../model/api";

function ByToken({done}: {readonly done: () => void}) {
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
    <>
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
    </>
  );
}

// Back to where one is.
function here(): string {
  return location.pathname + location.search + location.hash;
}

export function Login({done}: {readonly done: () => void}) {
  const ways = useSignal<SignInWays>({provider: null, token: true, name: null});
  useEffect(() => {
    // A server that does not say takes tokens.
    getSignInWays().then(
      (known) => {
        ways.value = known;
      },
      () => undefined,
    );
  }, []);
  const {provider, token} = ways.value;
  return (
    <main class="runs">
      <h1>{provider === null ? "This server wants a token" : "This server wants to know who you are"}</h1>
      {provider === null ? null : (
        <p>
          <a class="sign-in" href={`${provider.url}?to=${encodeURIComponent(here())}`}>
            Sign in with {provider.name}
          </a>
        </p>
      )}
      {token ? <ByToken done={done} /> : null}
    </main>
  );
}
