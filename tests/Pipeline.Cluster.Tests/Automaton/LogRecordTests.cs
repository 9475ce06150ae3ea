using System.Buffers.Binary;
using Xunit;

namespace Pipeline.Cluster.Tests.Automaton;

/// <summary>The bytes of records are those of RECORDS.md, and no fault of one bit goes unseen.</summary>
public sealed class LogRecordTests
{
    private static readonly Guid Start = Guid.Parse("00112233-4455-6677-8899-aabbccddeeff");
    private static readonly Chain Chain = Chain.Read(Convert.FromHexString("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"));
    private static readonly AutomatonState State = new(0x0102, Start, 0x0304, Chain, 0x05, LogPhase.Led, 0);

    public static TheoryData<string, string> Golden =>
        new()
        {
            {
                nameof(RecordKind.Claim),
                "01 00 0000 0301000000000000 00112233445566778899aabbccddeeff 0403000000000000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff 6e31"
            },
            {
                nameof(RecordKind.Entry),
                "02 01 0500 0201000000000000 00112233445566778899aabbccddeeff 0403000000000000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff 070809"
            },
            {
                nameof(RecordKind.Beat),
                "03 00 0000 0201000000000000 00112233445566778899aabbccddeeff 0403000000000000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff 1100000000000000 687474703a2f2f6e31"
            },
            {
                nameof(RecordKind.Handover),
                "04 00 0000 0201000000000000 00112233445566778899aabbccddeeff 0403000000000000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff 6e32"
            },
            {
                nameof(RecordKind.Fork),
                "05 00 0000 0201000000000000 00112233445566778899aabbccddeeff 0403000000000000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff 12000000 13000000 14000000"
            },
            {
                nameof(RecordKind.Feature),
                "06 00 0000 0201000000000000 00112233445566778899aabbccddeeff 0403000000000000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff 15000000"
            },
            {
                nameof(RecordKind.NextLog),
                "07 00 0000 0201000000000000 00112233445566778899aabbccddeeff 0403000000000000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff 6c6f67"
            },
            {
                nameof(RecordKind.Begin),
                "08 00 0000 0201000000000000 00112233445566778899aabbccddeeff 0403000000000000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff 16000000 6e33"
            },
        };

    public static TheoryData<string> Kinds => [.. Enum.GetNames<RecordKind>()];

    [Theory]
    [MemberData(nameof(Golden))]
    public void The_bytes_are_those_of_the_page(string kind, string afterSum)
    {
        var bytes = Make(Enum.Parse<RecordKind>(kind)).Bytes.Span;
        Assert.True(bytes.StartsWith("PIPELOG1"u8));
        Assert.Equal(afterSum.Replace(" ", "", StringComparison.Ordinal), Convert.ToHexStringLower(bytes[12..]));
        Assert.Equal(SlowCrc32C(bytes[12..]), BinaryPrimitives.ReadUInt32LittleEndian(bytes[8..]));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_record_reads_back_as_it_was_written(string kind)
    {
        Assert.Equal(RecordCheck.Sound, LogRecord.TryRead(Make(Enum.Parse<RecordKind>(kind)).Bytes, out var record));
        Assert.Equal(
            (Enum.Parse<RecordKind>(kind), Start, 0x0304L, Chain),
            (record.Kind, record.Start, record.Transaction, record.Chain)
        );
        Assert.Equal(record.Kind == RecordKind.Claim ? 0x0103 : 0x0102, record.Epoch);
        object read = record.Kind switch
        {
            RecordKind.Claim or RecordKind.Handover or RecordKind.NextLog => record.Name,
            RecordKind.Beat => (record.Beat, record.Address),
            RecordKind.Feature => record.Format,
            RecordKind.Begin => (record.Format, record.Name),
            RecordKind.Fork => (record.Child, record.Buckets),
            _ => (record.Part, record.IsLastPart, Convert.ToHexStringLower(record.Body.Span)),
        };
        object written = record.Kind switch
        {
            RecordKind.Claim => "n1",
            RecordKind.Handover => "n2",
            RecordKind.NextLog => "log",
            RecordKind.Beat => (0x11L, "http://n1"),
            RecordKind.Feature => 0x15,
            RecordKind.Begin => (0x16, "n3"),
            RecordKind.Fork => (0x12, (0x13, 0x14)),
            _ => (5, true, "070809"),
        };
        Assert.Equal(written, read);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Every_changed_bit_and_every_missing_end_is_damage(string kind)
    {
        var whole = Make(Enum.Parse<RecordKind>(kind)).Bytes.ToArray();
        for (var bit = 0; bit < whole.Length * 8; bit++)
        {
            var changed = whole.ToArray();
            changed[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.Equal(RecordCheck.Damaged, LogRecord.TryRead(changed, out _));
        }
        for (var length = 8; length < whole.Length; length++)
            Assert.Equal(RecordCheck.Damaged, LogRecord.TryRead(whole.AsMemory(0, length), out _));
    }

    [Fact]
    public void Other_bytes_are_foreign_and_an_unknown_kind_is_sound()
    {
        var random = new Random(3);
        for (var length = 0; length < 200; length++)
        {
            var bytes = new byte[length];
            random.NextBytes(bytes);
            Assert.Equal(RecordCheck.Foreign, LogRecord.TryRead(bytes, out _));
        }
        Assert.Equal(RecordCheck.Sound, LogRecord.TryRead(OfUnknownKind(State), out _));
    }

    [Theory]
    [InlineData("")]
    [InlineData(
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    )]
    public void Names_have_a_length(string name) =>
        Assert.Throws<ArgumentException>(() => LogRecord.Claim(State, Start, name));

    internal static byte[] OfUnknownKind(in AutomatonState state)
    {
        var bytes = LogRecord.Entry(state, "x"u8, isLast: true).Bytes.ToArray();
        bytes[12] = 99;
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(8), SlowCrc32C(bytes.AsSpan(12)));
        return bytes;
    }

    private static LogRecord Make(RecordKind kind) =>
        kind switch
        {
            RecordKind.Claim => LogRecord.Claim(State, Start, "n1"),
            RecordKind.Entry => LogRecord.Entry(State, [7, 8, 9], isLast: true),
            RecordKind.Beat => LogRecord.BeatOf(State, 0x11, "http://n1"),
            RecordKind.Handover => LogRecord.Handover(State, "n2"),
            RecordKind.Fork => LogRecord.Fork(State, 0x12, 0x13, 0x14),
            RecordKind.Feature => LogRecord.Feature(State, 0x15),
            RecordKind.NextLog => LogRecord.NextLog(State, "log"),
            RecordKind.Begin => LogRecord.Begin(State with { Format = 0x16 }, "n3"),
            _ => throw new ArgumentOutOfRangeException(nameof(kind)),
        };

    /// <summary>The checksum by its definition, bit by bit.</summary>
    private static uint SlowCrc32C(ReadOnlySpan<byte> bytes)
    {
        var crc = uint.MaxValue;
        foreach (var b in bytes)
        {
            crc ^= b;
            for (var i = 0; i < 8; i++)
                crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82F63B78 : crc >> 1;
        }
        return ~crc;
    }
}
