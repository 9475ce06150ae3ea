namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>How a value is made of two.</summary>
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

    /// <summary><c>%</c>: what is left over.</summary>
    Remainder,
}
