using System.IO.Compression;
using System.Text;
using System.Text.Json;

namespace Pipeline.Benchmarks.Etl;

/// <summary>
/// Document <c>i</c> of the messaging workloads: a line of a data file without its <c>@metadata</c>, padded to exactly
/// <see cref="Size"/> bytes, and its id. Lines that do not fit are skipped; the others repeat, distinguished by a
/// number after the id.
/// </summary>
internal sealed class MessageDocuments
{
    private const string BeforePad = ",\"Pad\":\"";
    private const string AfterPad = "\"}";

    private readonly List<byte[]> _bodies = [];
    private readonly List<string> _ids = [];

    public MessageDocuments(string file, int size)
    {
        Size = size;
        using var reader = new StreamReader(
            new GZipStream(File.OpenRead(file), CompressionMode.Decompress),
            Encoding.UTF8
        );
        while (reader.ReadLine() is { } line)
        {
            using var json = JsonDocument.Parse(line);
            var metadata = json.RootElement.GetProperty("@metadata");
            var body = line.Replace(metadata.GetRawText(), "", StringComparison.Ordinal)
                .Replace("{\"@metadata\":,", "{", StringComparison.Ordinal)
                .Replace("{\"@metadata\": , ", "{", StringComparison.Ordinal);
            var room = size - Encoding.UTF8.GetByteCount(body) - BeforePad.Length - (AfterPad.Length - 1);
            if (room < 0 || body.Contains("@metadata", StringComparison.Ordinal))
                continue;
            _bodies.Add(
                Encoding.UTF8.GetBytes(
                    string.Concat(body.AsSpan(0, body.Length - 1), BeforePad, new string('x', room), AfterPad)
                )
            );
            _ids.Add(metadata.GetProperty("@id").GetString()!);
        }

        if (_bodies.Count == 0)
            throw new BenchmarkException($"{file} has no line that fits into {size} bytes");
    }

    public int Size { get; }

    public string Name => Size % 1024 == 0 ? $"{Size / 1024}KiB" : $"{Size}B";

    public byte[] Body(int i) => _bodies[i % _bodies.Count];

    public string Id(int i) => $"{_ids[i % _ids.Count]}-{i / _ids.Count}";
}
