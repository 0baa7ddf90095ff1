/**
 * Goes on with what may have to be waited for: at once with a value that is there, since a promise of it would come a
 * turn later, when its caller may have left.
 */
export const andThen = <Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> => (value instanceof Promise ? value.then(next) : next(value))
