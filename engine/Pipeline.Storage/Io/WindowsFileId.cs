using System.Numerics;

namespace Pipeline.Storage;

/// <summary>
/// What tells a file of Windows from each copy of it. NTFS and ReFS never give a file the number of another one, not even
/// of a deleted one. Creation times count only where numbers are used again: copying tools can keep them, NTFS gives a
/// new file that of a file deleted under its name seconds before, and some network drives move them with each write.
/// </summary>
/// <param name="Volume">
/// The serial number of the volume. Without it, the copy on a second volume could have the same number.
/// </param>
/// <param name="Number">The file's number within the volume, or the lower half of it.</param>
/// <param name="Upper">The upper half of the number; 0 for a number of 64 bits.</param>
/// <param name="Created">The creation time where numbers are used again, in units of 100 ns; 0 elsewhere.</param>
internal readonly record struct WindowsFileId(ulong Volume, ulong Number, ulong Upper, ulong Created)
{
    // Odd, so that no two values of one part give the same product.
    private const ulong Odd = 0x9E37_79B9_7F4A_7C15;

    /// <summary>All parts as one number.</summary>
    public long ToNumber() => (long)Mix(Mix(Mix(Mix(0, Volume), Number), Upper), Created);

    private static ulong Mix(ulong sum, ulong part) => BitOperations.RotateLeft((sum ^ part) * Odd, 31);
}
