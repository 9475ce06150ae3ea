namespace Pipeline.Indexing;

/// <summary>
/// Entries with a term in which a .NET regular expression finds a match, with the score 1. Anchor it with <c>^</c> and
/// <c>$</c> to match whole terms. It runs in time linear in the terms' length; lookarounds, back-references and atomic
/// groups are refused with <c>QueryException</c>.
/// </summary>
/// <param name="Field">The field's name.</param>
/// <param name="Pattern">The expression.</param>
public sealed record RegexQuery(string Field, string Pattern) : Query;
