namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>How two values are compared.</summary>
public enum ComparisonOperator
{
    /// <summary><c>=</c>, <c>==</c>.</summary>
    Equal,

    /// <summary><c>!=</c>, <c>&lt;&gt;</c>.</summary>
    NotEqual,

    /// <summary><c>&lt;</c>.</summary>
    Less,

    /// <summary><c>&lt;=</c>.</summary>
    LessOrEqual,

    /// <summary><c>&gt;</c>.</summary>
    Greater,

    /// <summary><c>&gt;=</c>.</summary>
    GreaterOrEqual,
}
