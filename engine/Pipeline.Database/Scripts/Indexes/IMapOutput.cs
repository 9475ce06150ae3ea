namespace Pipeline.Database.Scripts.Indexes;

/// <summary>Where the maps of a map-reduce index put what they give. Called on the thread of the run; spans are valid during the call only.</summary>
public interface IMapOutput
{
    /// <summary>One output of a map.</summary>
    /// <param name="groupKey">Which group it is in: equal keys have equal bytes.</param>
    /// <param name="utf8Json">The output, a JSON object; as <see cref="Json.BinaryJson"/> it is what <see cref="IndexRun.Reduce"/> takes.</param>
    void Mapped(ReadOnlySpan<byte> groupKey, ReadOnlySpan<byte> utf8Json);
}
