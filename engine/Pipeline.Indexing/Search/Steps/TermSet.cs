namespace Pipeline.Indexing;

/// <summary>
/// The posting lists that a query stands for. Of the first few thousand terms it is kept where their lists are; when
/// there are more, all go into a bitmap at once, so the number of terms is not limited.
/// </summary>
internal sealed class TermSet(QueryExecution execution, string step)
{
    private const int MaxHandles = 4096;

    /// <summary>Lists that are not in the bitmap.</summary>
    public List<TermHandle> Handles { get; } = [];

    /// <summary>The entries of all other lists; null as long as there are few terms.</summary>
    public EntrySet? Bitmap { get; private set; }

    /// <summary>The number of terms.</summary>
    public int Count { get; private set; }

    /// <summary>The sum of the lists' lengths.</summary>
    public long DocumentFrequencies { get; private set; }

    /// <summary>The length of the longest list.</summary>
    public int MaxDocumentFrequency { get; private set; }

    /// <summary>Adds a term's list.</summary>
    public void Add(in TermHandle term)
    {
        Count++;
        DocumentFrequencies += term.DocumentFrequency;
        MaxDocumentFrequency = Math.Max(MaxDocumentFrequency, term.DocumentFrequency);
        Handles.Add(term);
        if (Handles.Count < MaxHandles)
            return;
        execution.Token.ThrowIfCancellationRequested();
        Bitmap ??= execution.NewSet(step);
        foreach (var handle in Handles)
            execution.AddTo(handle, Bitmap);
        Handles.Clear();
    }
}
