using Akka.Persistence.Journal;

namespace Pipeline.Akka.Tests;

/// <summary>Tags texts with the colors and fruits that they name.</summary>
public sealed class WordTagger : IWriteEventAdapter
{
    private static readonly HashSet<string> Tags = ["green", "black", "blue", "apple", "banana"];

    /// <inheritdoc/>
    public string Manifest(object evt) => "";

    /// <inheritdoc/>
    public object ToJournal(object evt) =>
        evt is string text && text.Split(' ').Where(Tags.Contains).ToArray() is { Length: > 0 } tags
            ? new Tagged(evt, tags)
            : evt;
}
