// Who is signed in, and the way out. Nothing where nobody has to.

import {useSignal} from "@preact/signals";
import {useEffect} from "preact/hooks";
import {getSignInWays, logOut} from "../model/api";

export function SignOut() {
  const name = useSignal<string | null>(null);
  useEffect(() => {
    getSignInWays().then(
      (known) => {
        name.value = known.name;
      },
      () => undefined, // the page itself says that the server is away
    );
  }, []);
  if (name.value === null) return null;
  const leave = async () => {
    await logOut();
    location.assign("/");
  };
  return (
    <button class="theme" type="button" title={`Signed in as ${name.value}`} onClick={() => void leave()}>
      Sign out
    </button>
  );
}
