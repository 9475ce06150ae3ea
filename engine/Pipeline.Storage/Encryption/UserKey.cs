using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;

namespace Pipeline.Storage;

/// <summary>Gets the user's key from where <see cref="StorageEncryption"/> says.</summary>
internal static class UserKey
{
    /// <summary>Bytes of a key.</summary>
    public const int Length = 32;

    private const int MaxBytes = 4096;
    private static readonly TimeSpan CommandTime = TimeSpan.FromSeconds(30);

    /// <summary>The key; the caller wipes it.</summary>
    /// <exception cref="InvalidKeyException">There is none, or not a valid one.</exception>
    public static byte[] Read(StorageEncryption encryption)
    {
        var sources =
            (encryption.KeyFile is null ? 0 : 1)
            + (encryption.KeyVariable is null ? 0 : 1)
            + (encryption.KeyCommand is null ? 0 : 1)
            + (encryption.Key is null ? 0 : 1);
        if (sources != 1)
        {
            throw new InvalidKeyException(
                "StorageEncryption",
                sources == 0
                    ? "no source is given; one of KeyFile, KeyVariable, KeyCommand and Key is needed"
                    : "several sources are given; exactly one is allowed"
            );
        }

        if (encryption.Key is { } key)
        {
            return key.Length == Length
                ? key.ToArray()
                : throw new InvalidKeyException(encryption.Source, $"it has {key.Length} bytes");
        }

        var read =
            encryption.KeyFile is not null ? FromFile(encryption)
            : encryption.KeyVariable is not null ? FromVariable(encryption)
            : FromCommand(encryption);
        try
        {
            return Parse(read, encryption.Source);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(read);
        }
    }

    private static byte[] Parse(ReadOnlySpan<byte> read, string source)
    {
        if (read.Length == Length)
            return read.ToArray();
        var text = read.Trim(" \t\r\n"u8);
        var key = new byte[Length];
        if (
            text.Length == 2 * Length
            && Convert.FromHexString(text, key, out _, out _) == System.Buffers.OperationStatus.Done
        )
        {
            return key;
        }

        if (
            text.Length == 44
            && System.Buffers.Text.Base64.DecodeFromUtf8(text, key, out _, out var written)
                == System.Buffers.OperationStatus.Done
            && written == Length
        )
        {
            return key;
        }

        CryptographicOperations.ZeroMemory(key);
        throw new InvalidKeyException(
            source,
            read.IsEmpty ? "it is empty" : $"{read.Length} bytes were found that are none of these"
        );
    }

    private static byte[] FromFile(StorageEncryption encryption)
    {
        try
        {
            using var file = File.OpenRead(encryption.KeyFile!);
            var bytes = new byte[MaxBytes];
            var length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            var read = bytes[..length];
            CryptographicOperations.ZeroMemory(bytes);
            return read;
        }
        catch (Exception e)
            when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new InvalidKeyException(encryption.Source, $"it cannot be read ({e.Message})", e);
        }
    }

    private static byte[] FromVariable(StorageEncryption encryption)
    {
        var text = Environment.GetEnvironmentVariable(encryption.KeyVariable!);
        return text is null
            ? throw new InvalidKeyException(encryption.Source, "it is not set")
            : Encoding.UTF8.GetBytes(text);
    }

    private static byte[] FromCommand(StorageEncryption encryption)
    {
        var start = OperatingSystem.IsWindows()
            // In a list of arguments .NET would escape the command's own quotes, which cmd does not understand.
            ? new ProcessStartInfo("cmd.exe", $"/d /s /c \"{encryption.KeyCommand}\"")
            : new ProcessStartInfo("/bin/sh", ["-c", encryption.KeyCommand!]);
        start.RedirectStandardOutput = true;
        start.RedirectStandardInput = true;
        try
        {
            using var process = Process.Start(start)!;
            process.StandardInput.Close();
            using var late = new CancellationTokenSource(CommandTime);
            using var killed = late.Token.Register(() => process.Kill(entireProcessTree: true));
            var bytes = new byte[MaxBytes];
            var length = process.StandardOutput.BaseStream.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            var read = bytes[..length];
            CryptographicOperations.ZeroMemory(bytes);
            process.WaitForExit();
            if (late.IsCancellationRequested)
            {
                throw new InvalidKeyException(
                    encryption.Source,
                    $"it did not end within {CommandTime.TotalSeconds:0} s"
                );
            }

            if (process.ExitCode != 0)
                throw new InvalidKeyException(encryption.Source, $"it ended with exit code {process.ExitCode}");
            return read;
        }
        catch (Exception e) when (e is IOException or System.ComponentModel.Win32Exception)
        {
            throw new InvalidKeyException(encryption.Source, $"it cannot be run ({e.Message})", e);
        }
    }
}
