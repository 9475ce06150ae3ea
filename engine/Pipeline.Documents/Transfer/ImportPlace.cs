using System.Globalization;
using System.Text;

namespace Pipeline.Documents.Transfer;

/// <summary>
/// How far an import has come; committed with the documents it speaks of, so that no crash parts the two.
/// </summary>
/// <param name="File">The file, from 0 in the order of the import.</param>
/// <param name="Line">The last processed line of the file, from 1; 0 if there is none.</param>
/// <param name="IsComplete">Whether the import has reached its end.</param>
/// <param name="Lengths">The files' lengths in bytes when the import began.</param>
public sealed record ImportPlace(int File, long Line, bool IsComplete, IReadOnlyList<long> Lengths)
{
    internal byte[] ToBytes() =>
        Encoding.ASCII.GetBytes(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{File} {Line} {(IsComplete ? 1 : 0)} {string.Join(' ', Lengths)}"
            )
        );

    internal static ImportPlace? Parse(byte[]? bytes)
    {
        if (bytes is null)
            return null;
        var numbers = new List<long>();
        foreach (var part in Encoding.ASCII.GetString(bytes).Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (!long.TryParse(part, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
                return null;
            numbers.Add(number);
        }

        return numbers.Count < 3 ? null : new ImportPlace((int)numbers[0], numbers[1], numbers[2] == 1, numbers[3..]);
    }
}
