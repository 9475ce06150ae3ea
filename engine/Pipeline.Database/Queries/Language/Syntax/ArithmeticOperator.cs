namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>An operator of two values.</summary>
public enum ArithmeticOperator
{
    /// <summary><c>+</c>: a sum, or texts put together.</summary>
    Add,

    /// <summary><c>-</c>.</summary>
    Subtract,

    /// <summary><c>*</c>.</summary>
    Multiply,

    /// <summary><c>/</c>.</summary>
    Divide,

    /// <summary><c>%</c>: the remainder of a division.</summary>
    Remainder,
}
