namespace Pipeline.Indexing.Analysis.Filters;

/// <summary>Cuts the English possessive ('s, with any of the three apostrophes) off lower-cased terms.</summary>
internal sealed class PossessiveFilter : TokenFilter
{
    public override void Apply(TokenBuffer buffer)
    {
        foreach (ref var entry in buffer.Entries)
        {
            var term = buffer.Term(entry);
            if (term.Length < 2 || term[^1] != 's')
                continue;
            var stem = term[..^1];
            if (stem[^1] == '\'')
                entry.TermLength -= 2;
            else if (stem.EndsWith("\u2019"u8) || stem.EndsWith("\uFF07"u8))
                entry.TermLength -= 4;
        }
    }
}
