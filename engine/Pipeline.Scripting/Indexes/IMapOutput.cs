using Pipeline.Json;

namespace Pipeline.Scripting.Indexes;

/// <summary>
/// Receives the outputs of the maps of a map-reduce index. Called on the thread of the run; spans are valid only during
/// the call.
/// </summary>
public interface IMapOutput
{
    /// <summary>One output of a map.</summary>
    /// <param name="groupKey">The key of its group: equal keys have equal bytes.</param>
    /// <param name="utf8Json">
    /// The output, a JSON object; as <see cref="BinaryJson"/> it is an input of <see cref="IndexRun.Reduce"/>.
    /// </param>
    void Mapped(ReadOnlySpan<byte> groupKey, ReadOnlySpan<byte> utf8Json);
}
