using System.Text;
using Xunit;

namespace Pipeline.Storage.Tests.Encryption;

public sealed class UserKeyTests : IDisposable
{
    private static readonly byte[] Bytes = Enumerable.Range(100, 32).Select(i => (byte)i).ToArray();
    private readonly string _folder = Directory.CreateTempSubdirectory("pipeline-key-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private string File(byte[] content)
    {
        var path = Path.Combine(_folder, "key");
        System.IO.File.WriteAllBytes(path, content);
        return path;
    }

    [Fact]
    public void A_key_is_read_from_a_file_raw_and_as_text()
    {
        Assert.Equal(Bytes, UserKey.Read(new StorageEncryption { KeyFile = File(Bytes) }));
        Assert.Equal(
            Bytes,
            UserKey.Read(
                new StorageEncryption { KeyFile = File(Encoding.ASCII.GetBytes(Convert.ToBase64String(Bytes) + "\n")) }
            )
        );
        Assert.Equal(
            Bytes,
            UserKey.Read(
                new StorageEncryption { KeyFile = File(Encoding.ASCII.GetBytes(Convert.ToHexString(Bytes) + "\r\n")) }
            )
        );
        Assert.Equal(
            Bytes,
            UserKey.Read(
                new StorageEncryption { KeyFile = File(Encoding.ASCII.GetBytes(Convert.ToHexStringLower(Bytes))) }
            )
        );
    }

    [Fact]
    public void A_key_is_read_from_a_variable_and_from_a_command()
    {
        var name = "PIPELINE_TEST_KEY_" + Environment.ProcessId;
        Environment.SetEnvironmentVariable(name, Convert.ToBase64String(Bytes));
        Assert.Equal(Bytes, UserKey.Read(new StorageEncryption { KeyVariable = name }));
        Environment.SetEnvironmentVariable(name, null);
        Assert.Contains(
            "not set",
            Assert
                .Throws<InvalidKeyException>(() => UserKey.Read(new StorageEncryption { KeyVariable = name }))
                .Message,
            StringComparison.Ordinal
        );
        Assert.Equal(
            Bytes,
            UserKey.Read(new StorageEncryption { KeyCommand = "echo " + Convert.ToBase64String(Bytes) })
        );
        Assert.Contains(
            "exit code 3",
            Assert
                .Throws<InvalidKeyException>(() => UserKey.Read(new StorageEncryption { KeyCommand = "exit 3" }))
                .Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void The_shell_gets_the_quotes_of_a_command_as_they_are()
    {
        var path = File(Encoding.ASCII.GetBytes(Convert.ToHexString(Bytes)));
        var spaced = path + " with blanks";
        System.IO.File.Move(path, spaced);
        var command = $"{(OperatingSystem.IsWindows() ? "type" : "cat")} \"{spaced}\"";
        Assert.Equal(Bytes, UserKey.Read(new StorageEncryption { KeyCommand = command }));
    }

    [Fact]
    public void What_is_no_key_is_refused_without_being_shown()
    {
        var error = Assert.Throws<InvalidKeyException>(() =>
            UserKey.Read(new StorageEncryption { KeyFile = File("secret-but-too-short"u8.ToArray()) })
        );
        Assert.DoesNotContain("secret-but", error.ToString(), StringComparison.Ordinal);
        Assert.Contains("20 bytes", error.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidKeyException>(() =>
            UserKey.Read(new StorageEncryption { KeyFile = Path.Combine(_folder, "none") })
        );
        Assert.Throws<InvalidKeyException>(() => UserKey.Read(new StorageEncryption { KeyFile = File([]) }));
        Assert.Throws<InvalidKeyException>(() => UserKey.Read(new StorageEncryption()));
        Assert.Throws<InvalidKeyException>(() =>
            UserKey.Read(new StorageEncryption { KeyFile = "a", KeyVariable = "b" })
        );
        Assert.Throws<InvalidKeyException>(() => UserKey.Read(new StorageEncryption { Key = new byte[31] }));
        Assert.DoesNotContain(
            "given bytes, 1",
            new StorageEncryption { Key = Bytes }.ToString(),
            StringComparison.Ordinal
        );
    }
}
