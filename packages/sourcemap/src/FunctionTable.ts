export class FunctionTable {
  static of(_text: string): FunctionTable | null {
    return null
  }
  find(_offset: number): string {
    return "<anonymous>"
  }
}
