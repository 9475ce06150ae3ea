namespace Pipeline.Database.Queries.Language;

/// <summary>
/// The two halves of <c>from … update { … }</c>: a query that finds documents, and the script to run on each.
/// </summary>
/// <param name="Selection">The query without its script, in the query language.</param>
/// <param name="Script">
/// The JavaScript, with the functions that the query declares. <c>this</c> and the query's alias are the document.
/// </param>
public sealed record UpdateQuery(string Selection, string Script)
{
    /// <summary>Splits a query with <c>update</c>.</summary>
    /// <param name="text">The whole text.</param>
    /// <exception cref="InvalidQueryException">
    /// The text is no query, has no <c>update</c>, or combines it with <c>load</c>.
    /// </exception>
    public static UpdateQuery Parse(string text)
    {
        var syntax = QueryParser.Parse(text);
        if (syntax.Update is not { } update)
        {
            throw new InvalidQueryException(
                QueryErrorKind.Meaning,
                text,
                new SourceSpan(text.Length, 0),
                "the query has no 'update { … }'",
                "write one with the script to run on each document"
            );
        }

        if (syntax.Load is [{ Expression: var loaded }, ..])
        {
            throw new InvalidQueryException(
                QueryErrorKind.NotSupported,
                text,
                loaded.Span,
                "'load' cannot be part of a query with 'update'",
                "call load(id) in the script"
            );
        }

        var functions = string.Concat(syntax.Functions.Select(f => f.ToScript() + " "));
        var alias = syntax.From.Alias is { } name ? $"const {name} = this; " : "";
        return new UpdateQuery(
            (syntax with { Update = null, Functions = [] }).ToString(),
            functions + alias + update.Body
        );
    }
}
