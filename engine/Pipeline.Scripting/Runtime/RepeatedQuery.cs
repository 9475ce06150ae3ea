using System.ComponentModel;

namespace Pipeline.Scripting.Runtime;

/// <summary>A map or a reduce as a query that is run again and again.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class RepeatedQuery
{
    private protected RepeatedQuery() { }

    /// <summary>Writes the query's results as entries, each with its object as JSON if a writer is given.</summary>
    internal abstract void WriteEntries(IndexEntryWriter writer, JsonBodyWriter? body);

    /// <summary>Writes each object of the query's results as JSON.</summary>
    internal abstract void WriteObjects(JsonBodyWriter body, Action written);
}

internal sealed class RepeatedQuery<T>(IEnumerable<Boosted<T>> query) : RepeatedQuery
{
    internal override void WriteEntries(IndexEntryWriter writer, JsonBodyWriter? body)
    {
        foreach (var (item, factor) in query)
        {
            ScriptGuard.Step();
            if (item is null)
                continue;
            writer.Begin();
            EntryFields<T>.Write(writer, item);
            writer.EntryBoost(factor);
            if (body is not null)
            {
                JsonTypeWriter<T>.Instance.Write(body, item);
                writer.Object(body);
            }

            writer.End();
        }
    }

    internal override void WriteObjects(JsonBodyWriter body, Action written)
    {
        foreach (var (item, _) in query)
        {
            ScriptGuard.Step();
            if (item is null)
                continue;
            JsonTypeWriter<T>.Instance.Write(body, item);
            written();
        }
    }
}
