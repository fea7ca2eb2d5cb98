/** Statements on their own connections. */
import pg from "pg"

export const query = async (url: string, statement: string): Promise<Array<pg.QueryResultRow>> => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

export const execute = async (url: string, statement: string): Promise<void> =>
  void (await query(url, statement))
