namespace Pipeline.Database.Queries.Language.Syntax;

/// <summary>How conditions are joined.</summary>
public enum LogicalOperator
{
    /// <summary>All must hold.</summary>
    And,

    /// <summary>One must hold.</summary>
    Or,
}
