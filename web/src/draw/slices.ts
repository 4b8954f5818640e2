// Long work in slices, so that the page answers meanwhile.

const sliceMs = 16;

// A pause that is none until a slice is over.
export function slices(): () => Promise<void> {
  let begin = performance.now();
  return async () => {
    if (performance.now() - begin < sliceMs) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    begin = performance.now();
  };
}
