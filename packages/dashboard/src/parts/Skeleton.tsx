import "../styles/skeleton.css"

/** Placeholder rows. They appear only if a response takes longer than 150 ms. */
export const Skeleton = ({ rows = 6, label }: { readonly rows?: number; readonly label: string }) => (
  <div class="skeleton" role="status" aria-label={`Loading ${label}`}>
    {Array.from({ length: rows }, (_, index) => (
      <div key={index} />
    ))}
  </div>
)
