// A column's head: its name, and on hover what it is.

export interface HeadColumn {
  readonly label: string;
  readonly doc: string;
  readonly isNumber?: boolean;
  readonly isUnseen?: boolean; // its cells say it
}

// isGrid: rows are laid out as grids, which takes their roles from them.
export function Head({columns, isGrid = false}: {readonly columns: readonly HeadColumn[]; readonly isGrid?: boolean}) {
  const role = <T extends string>(name: T): T | undefined => (isGrid ? name : undefined);
  return (
    <thead role={role("rowgroup")}>
      <tr role={role("row")}>
        {columns.map(({label, doc, isNumber, isUnseen}) => (
          <th
            scope="col"
            role={role("columnheader")}
            key={label}
            class={isNumber === true ? "number" : undefined}
            title={doc}
          >
            {isUnseen === true ? <span class="unseen">{label}</span> : label}
          </th>
        ))}
      </tr>
    </thead>
  );
}
