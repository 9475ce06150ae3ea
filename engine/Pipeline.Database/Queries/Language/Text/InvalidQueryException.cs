using System.Globalization;

namespace Pipeline.Database.Queries.Language;

/// <summary>A query is refused before it is run. Names the place, the text there, and how to fix it.</summary>
public sealed class InvalidQueryException : FormatException
{
    private const int MaxShownText = 60;

    /// <summary>Characters of a reason, at most: it may show a part of the query, which may be long.</summary>
    private const int MaxReason = 300;

    /// <summary>Makes the error.</summary>
    /// <param name="kind">Why the query is refused.</param>
    /// <param name="query">The query's whole text.</param>
    /// <param name="span">The offending part of it.</param>
    /// <param name="reason">The problem, as a clause.</param>
    /// <param name="suggestion">How to fix it, as a clause; null if that is unknown.</param>
    public InvalidQueryException(
        QueryErrorKind kind,
        string query,
        SourceSpan span,
        string reason,
        string? suggestion = null
    )
        : this(kind, Locate(query, span), Shorten(reason), suggestion) => Span = span;

    private InvalidQueryException(
        QueryErrorKind kind,
        (int Line, int Column, string Text) place,
        string reason,
        string? suggestion
    )
        : base(
            string.Create(
                CultureInfo.InvariantCulture,
                $"Invalid query at {place.Line}:{place.Column}: {reason}{(suggestion is null ? "" : "; " + suggestion)}{(suggestion is [.., '?'] ? "" : ".")}"
            )
        )
    {
        Kind = kind;
        (Line, Column, OffendingText) = place;
        Reason = reason;
        Suggestion = suggestion;
    }

    /// <summary>Why the query is refused.</summary>
    public QueryErrorKind Kind { get; }

    /// <summary>The offending part of the query's text.</summary>
    public SourceSpan Span { get; }

    /// <summary>The line, from 1.</summary>
    public int Line { get; }

    /// <summary>The column in UTF-16 units, from 1.</summary>
    public int Column { get; }

    /// <summary>The text at that place, cut if it is long; empty at the end of the query.</summary>
    public string OffendingText { get; }

    /// <summary>The problem, as a clause.</summary>
    public string Reason { get; }

    /// <summary>How to fix it, as a clause; null if that is unknown.</summary>
    public string? Suggestion { get; }

    private static string Shorten(string reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        return reason.Length <= MaxReason ? reason : reason[..(MaxReason / 2)] + " … " + reason[^(MaxReason / 2)..];
    }

    private static (int Line, int Column, string Text) Locate(string query, SourceSpan span)
    {
        ArgumentNullException.ThrowIfNull(query);
        var start = Math.Clamp(span.Start, 0, query.Length);
        var before = query.AsSpan(0, start);
        var line = before.Count('\n') + 1;
        var column = start - before.LastIndexOf('\n');
        var length = Math.Clamp(span.Length, 0, query.Length - start);
        var text = query.Substring(start, Math.Min(length, MaxShownText));
        return (line, column, length > MaxShownText ? text + "…" : text);
    }
}
