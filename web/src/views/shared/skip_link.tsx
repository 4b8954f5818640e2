// The first stop of the keyboard: past the links above every page to what the page shows.

export function SkipLink() {
  const skip = (event: MouseEvent) => {
    // The address stays: it says what is shown and chosen.
    event.preventDefault();
    document.getElementById("content")?.focus();
  };
  return (
    <a class="skip" href="#content" onClick={skip}>
      Skip to the content
    </a>
  );
}
